// What tsshogi makes of records: a JSON line {format, text, as: [formats]} in, a JSON line {start, nodes, texts} or
// {error} out.
import readline from "node:readline";
import { createRequire } from "node:module";

const t = createRequire(process.argv[2])("tsshogi");
const readers = { kif: t.importKIF, ki2: t.importKI2, csa: t.importCSA, usi: text => t.Record.newByUSI(text) };
const writers = { kif: t.exportKIF, ki2: t.exportKI2, csa: t.exportCSA };

function answer({ format, text, as }) {
  const record = readers[format](text);
  if (record instanceof Error) return { error: record.message };
  const nodes = [];
  record.forEach(node => {
    const isMove = node.move instanceof t.Move;
    nodes.push([node.ply, isMove ? node.move.usi : node.move.type, node.comment, node.elapsedMs / 1000]);
  });
  return { start: record.initialPosition.sfen, nodes, texts: (as || []).map(kind => writers[kind](record)) };
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  let found;
  try {
    found = answer(JSON.parse(line));
  } catch (error) {
    found = { error: String(error) };
  }
  console.log(JSON.stringify(found));
}
