// node pokemon_simulator_speed.js FOLDER SECONDS: random battles in Pokémon Showdown's simulator (npm package
// pokemon-showdown in FOLDER), and turns played from copies of a battle, as a search would. Prints JSON.
'use strict';
const path = require('path');

const [folder, seconds] = [path.resolve(process.argv[2]), Number(process.argv[3])];
const sim = require(require.resolve('pokemon-showdown', {paths: [folder, path.join(folder, 'node_modules')]}));
const {State} = require(path.join(path.dirname(require.resolve('pokemon-showdown', {paths: [folder]})), 'state'));

const spent = () => process.cpuUsage().user / 1e6;
const start = seed => {
  const battle = new sim.Battle({formatid: 'gen8randombattle', seed: [seed, 2, 3, 4]});
  battle.setPlayer('p1', {name: 'a'});
  battle.setPlayer('p2', {name: 'b'});
  return battle;
};
const choose = (side, n) => {
  const request = side.activeRequest;
  if (!request || request.wait) return;
  const options = [];
  if (request.forceSwitch) {
    request.side.pokemon.forEach((p, i) => { if (i > 0 && !p.condition.endsWith(' fnt')) options.push(`switch ${i + 1}`); });
  } else if (request.active) {
    request.active[0].moves.forEach((m, i) => { if (!m.disabled) options.push(`move ${i + 1}`); });
    if (!request.active[0].trapped) {
      request.side.pokemon.forEach((p, i) => { if (i > 0 && !p.condition.endsWith(' fnt')) options.push(`switch ${i + 1}`); });
    }
  }
  if (!options.length || !side.choose(options[n % options.length])) side.autoChoose();
};
const step = (battle, n) => {
  choose(battle.p1, n);
  choose(battle.p2, n * 7 + 3);
  battle.commitChoices();
};

let turns = 0;
let seed = 1;
let began = spent();
while (spent() - began < seconds) {
  const battle = start(seed++);
  for (let n = 0; !battle.ended && n < 500 && spent() - began < seconds; ++n) step(battle, Math.floor(Math.random() * 1e6));
  turns += battle.turn;
}
const turnsPerSecond = turns / (spent() - began);

const battle = start(7);
for (let n = 0; n < 10 && !battle.ended; ++n) step(battle, n);
let nodes = 0;
began = spent();
while (spent() - began < seconds) {
  const copy = State.deserializeBattle(JSON.stringify(State.serializeBattle(battle)));
  step(copy, nodes);
  ++nodes;
}
console.log(JSON.stringify({turns: turnsPerSecond, nodes: nodes / (spent() - began)}));
