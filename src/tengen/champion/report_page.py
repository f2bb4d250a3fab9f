"""The report's frame: its style, its script, and how parts become a page."""

from __future__ import annotations

import json
from html import escape
from typing import Any

__all__ = ["card", "data_script", "facts", "page", "table"]

_STYLE = """
:root{--paper:#f6f3ec;--card:#fffefb;--edge:#ddd6c7;--ink:#33302a;--faint:#7d7667;--a:#2468a8;--b:#cf5a24;--c:#4f8a35;
--d:#8558ad;--good:#3b7d2a;--bad:#b3402a;color-scheme:light dark}
@media(prefers-color-scheme:dark){:root{--paper:#1b1a17;--card:#262420;--edge:#403c35;--ink:#e9e4d9;--faint:#a39b8b;
--a:#74b0ea;--b:#f29360;--c:#98c977;--d:#c3a0e4;--good:#8fce7a;--bad:#f0876f}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.45 system-ui,Helvetica,Arial,sans-serif}
main{max-width:1120px;margin:0 auto;padding:24px 16px 64px}
h1{font-size:28px;margin:0 0 4px}h2{font-size:17px;margin:0 0 8px}
p{margin:0 0 10px}.sub,.none,.note{color:var(--faint)}.note,.none{font-size:14px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(160px,1fr));gap:12px;margin:20px 0}
.tile,.card{background:var(--card);border:1px solid var(--edge);border-radius:12px}
.tile{padding:12px 14px}.tile b{display:block;font-size:21px;line-height:1.2;font-variant-numeric:tabular-nums}
.tile span{font-size:13px;color:var(--faint)}
.cards{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:16px}
.stack{display:flex;flex-direction:column;gap:16px;min-width:0}
.card{padding:16px;min-width:0}.card.full{grid-column:1/-1}
.small{display:grid;grid-template-columns:repeat(auto-fit,minmax(190px,1fr));gap:4px 12px}
.small h3{font-size:14px;font-weight:600;margin:6px 0 0}
.compact{display:none}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,340px),1fr));gap:8px 24px}
.pair h3{font-size:14px;margin:6px 0}.facts th{position:static;width:64px}
.card.trouble{border-color:var(--bad)}
.trouble li{overflow-wrap:anywhere}
svg.chart{display:block;width:100%;height:auto;font-size:12px;fill:var(--faint)}
svg .grid{stroke:var(--edge);stroke-width:1}
svg .x{text-anchor:middle}svg .y{text-anchor:end}
svg line.level{stroke:var(--faint);stroke-dasharray:5 4}svg text.level{text-anchor:end}
svg .line{fill:none;stroke-width:2}svg .dashed{stroke-dasharray:5 4;stroke-width:1.5}
svg .interval{stroke-width:1.5;opacity:.55}
.line.a,.interval.a,.hollow.a,.mark.a{stroke:var(--a)}.line.b,.interval.b,.hollow.b,.mark.b{stroke:var(--b)}
.line.c,.interval.c,.hollow.c,.mark.c{stroke:var(--c)}.line.d,.interval.d,.hollow.d,.mark.d{stroke:var(--d)}
.mark.a{fill:var(--a)}.mark.b{fill:var(--b)}.mark.c{fill:var(--c)}.mark.d{fill:var(--d)}
svg .hollow{fill:var(--card);stroke-width:1.5}svg .bar{fill:var(--a);opacity:.75}
.stack.a{fill:var(--a)}.stack.b{fill:var(--b)}.stack.c{fill:var(--c)}.stack.d{fill:var(--d)}
.key{font-size:13px;color:var(--faint);margin:0}.key i{display:inline-block;width:10px;height:10px;border-radius:50%;
margin:0 5px 0 12px;border:2px solid}.key i:first-child{margin-left:0}
.key .a{border-color:var(--a);background:var(--a)}.key .b{border-color:var(--b);background:var(--b)}
.key .c{border-color:var(--c);background:var(--c)}.key .d{border-color:var(--d);background:var(--d)}
.key .ring{border-color:var(--a);background:none}
.scroll{max-height:360px;overflow:auto}
table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}
th{position:sticky;top:0;background:var(--card);text-align:left;font-weight:600;color:var(--faint)}
td,th{padding:4px 10px 4px 0;border-bottom:1px solid var(--edge);vertical-align:top}
td.n,th.n{text-align:right;white-space:nowrap}
.good{color:var(--good);font-weight:600}.bad{color:var(--bad);font-weight:600}
details{margin-top:8px}summary{cursor:pointer;color:var(--faint)}
code,pre{font:13px/1.4 ui-monospace,Menlo,Consolas,monospace}pre{overflow:auto;margin:8px 0 0}
.share{display:flex;height:14px;border-radius:7px;overflow:hidden;margin:6px 0}.share i{display:block}
#viewer{display:grid;grid-template-columns:minmax(0,1fr) 250px;gap:16px}
#board{display:block;margin:0 auto;max-width:100%;max-height:72vh;object-fit:contain}
#pick{width:100%;margin-bottom:10px}
select,button{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--edge);border-radius:8px;
padding:6px 12px}
button{cursor:pointer;min-width:44px}button:disabled{opacity:.4;cursor:default}
#count{white-space:nowrap}
.bar-row{display:flex;gap:8px;align-items:center;margin:10px 0}#ply{flex:1;min-width:60px;accent-color:var(--a)}
#moves{list-style:none;margin:0;padding:0;max-height:520px;overflow:auto;font-size:14px}
#moves button{display:flex;gap:8px;width:100%;border:0;background:none;padding:2px 6px;text-align:left;
border-radius:6px;min-width:0}
#moves button[aria-current=true]{background:var(--edge)}
#moves .at{color:var(--faint);min-width:26px;text-align:right}
#moves .dot{flex:none;width:9px;height:9px;border-radius:50%;margin-top:6px;background:var(--faint)}
#moves .s0{background:var(--a)}#moves .s1{background:var(--b)}
#curve .now{stroke:var(--ink);stroke-width:1}
@media(max-width:760px){.cards,#viewer{grid-template-columns:minmax(0,1fr)}#moves{max-height:180px}h1{font-size:23px}
.bar-row{flex-wrap:wrap}#ply{order:-1;flex-basis:100%}#next{margin-left:auto}
.tiles{grid-template-columns:repeat(2,minmax(0,1fr))}.large{display:none}.compact{display:block}
svg.chart{font-size:15px}.small svg.chart{font-size:10px}table{font-size:13px}td,th{padding-right:6px}}
"""

_SCRIPT = """
"use strict";
(() => {
  const album = JSON.parse(document.getElementById("album").textContent);
  const at = id => document.getElementById(id);
  if (!at("viewer") || !album.games.length) return;
  let game = 0, ply = 0, timer = 0;
  const svg = name => document.createElementNS("http://www.w3.org/2000/svg", name);

  const fragment = () => new URLSearchParams(location.hash.slice(1));
  const within = (text, most) => Math.min(Math.max(Math.trunc(Number(text)) || 0, 0), most);

  function listMoves() {
    const view = album.games[game];
    at("moves").replaceChildren(...[["start", ""], ...view.moves].map(([name, who], i) => {
      const item = document.createElement("li"), button = document.createElement("button");
      const number = document.createElement("span"), dot = document.createElement("span");
      number.className = "at";
      number.textContent = i || "";
      dot.className = "dot" + (who === "0" || who === "1" ? " s" + who : "");
      dot.hidden = !i;
      button.type = "button";
      button.append(number, dot, name + (i && i <= view.opening ? " (opening)" : ""));
      button.addEventListener("click", () => show(game, i));
      item.append(button);
      return item;
    }));
  }

  function drawCurve() {
    const view = album.games[game], box = at("curve"), last = Math.max(1, view.moves.length);
    const x = i => 34 + i / last * 580, y = v => 60 - v * 50;
    box.replaceChildren();
    at("curve-part").hidden = !view.curves.length;
    at("no-curve").hidden = view.curves.length > 0;
    for (const [level, text] of [[1, "+1"], [0, "0"], [-1, "−1"]]) {
      const line = svg("line"), label = svg("text");
      for (const [k, v] of [["class", "grid"], ["x1", 34], ["x2", 614], ["y1", y(level)], ["y2", y(level)]])
        line.setAttribute(k, v);
      for (const [k, v] of [["class", "y"], ["x", 28], ["y", y(level) + 4]]) label.setAttribute(k, v);
      label.textContent = text;
      box.append(line, label);
    }
    view.curves.forEach((curve, i) => {
      const line = svg("polyline");
      line.setAttribute("class", "line " + "abcd"[i % 4]);
      line.setAttribute("points", curve.points.map(([p, v]) => x(p) + "," + y(v)).join(" "));
      box.append(line);
    });
    const now = svg("line");
    for (const [k, v] of [["class", "now"], ["x1", x(ply)], ["x2", x(ply)], ["y1", 6], ["y2", 114]])
      now.setAttribute(k, v);
    box.append(now);
    const said = view.curves.map(curve => {
      const found = curve.points.find(([p]) => p === ply);
      return found ? `${curve.name} ${found[1] > 0 ? "+" : ""}${found[1].toFixed(2).replace("-", "−")}` : "";
    }).filter(text => text).join(", ");
    at("said").textContent = said ? `Here: ${said}.` : "";
  }

  function show(nextGame, nextPly) {
    const isOther = nextGame !== game || !at("moves").children.length;
    game = nextGame;
    const view = album.games[game];
    ply = Math.min(nextPly, view.frames.length - 1);
    if (isOther) listMoves();
    at("pick").value = game;
    const drawing = view.frames[ply].map(i => album.pieces[i]).join("");
    at("board").src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(drawing);
    at("board").alt = `The position after ${ply} plies`;
    at("who").textContent = view.players.join(" · ");
    at("result").textContent = view.result;
    at("ply").max = view.frames.length - 1;
    at("ply").value = ply;
    at("count").textContent = `${ply} / ${view.frames.length - 1}`;
    at("back").disabled = at("first").disabled = ply === 0;
    at("next").disabled = at("last").disabled = ply === view.frames.length - 1;
    [...at("moves").children].forEach((item, i) => {
      item.firstChild.setAttribute("aria-current", i === ply);
      if (i === ply) at("moves").scrollTop = item.offsetTop - at("moves").offsetTop - at("moves").clientHeight / 2;
    });
    drawCurve();
    clearTimeout(timer);
    timer = setTimeout(() => location.replace(`#game=${game}&ply=${ply}`), 300);
  }

  album.games.forEach((view, i) => {
    const option = document.createElement("option");
    option.value = i;
    option.textContent = `${i + 1}. ${view.title}: ${view.result}, ${view.moves.length} plies`;
    at("pick").append(option);
  });
  const last = () => album.games[game].frames.length - 1;
  const go = to => show(game, Math.min(Math.max(to, 0), last()));
  at("pick").addEventListener("change", event => show(Number(event.target.value), 0));
  at("ply").addEventListener("input", event => go(Number(event.target.value)));
  at("first").addEventListener("click", () => go(0));
  at("back").addEventListener("click", () => go(ply - 1));
  at("next").addEventListener("click", () => go(ply + 1));
  at("last").addEventListener("click", () => go(last()));
  at("games").addEventListener("keydown", event => {
    if (event.target.tagName === "SELECT" || event.target.tagName === "INPUT") return;
    const to = {ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: last()}[event.key];
    if (to !== undefined) { event.preventDefault(); go(to); }
  });
  const follow = () => {
    const wanted = fragment(), which = within(wanted.get("game"), album.games.length - 1);
    const where = within(wanted.get("ply"), album.games[which].frames.length - 1);
    if (which !== game || where !== ply || !at("moves").children.length) show(which, where);
  };
  addEventListener("hashchange", follow);
  const isAsked = fragment().has("game");
  if (isAsked) follow(); else { show(0, 0); clearTimeout(timer); }
  if (isAsked) addEventListener("load", () => at("games").scrollIntoView());
})();
"""

# Nothing may be fetched, whatever a drawing or a name contains.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def page(title: str, body: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n"
        f"<script>{_SCRIPT}</script>\n</body>\n</html>\n"
    )


def card(title: str, body: str, kind: str = "") -> str:
    return f'<section class="card {kind}"><h2>{escape(title)}</h2>{body}</section>'


def table(head: list[str], rows: list[list[str]], numeric: set[int]) -> str:
    """`rows` are HTML already; columns in `numeric` stand to the right."""
    classes = [' class="n"' if i in numeric else "" for i in range(len(head))]
    top = "".join(f"<th{kind}>{escape(name)}</th>" for kind, name in zip(classes, head, strict=True))
    body = "".join(
        f"<tr>{''.join(f'<td{kind}>{cell}</td>' for kind, cell in zip(classes, row, strict=True))}</tr>" for row in rows
    )
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def facts(rows: list[list[str]]) -> str:
    """Names with what is to say of each; HTML already."""
    body = "".join(f"<tr><th>{name}</th><td>{text}</td></tr>" for name, text in rows)
    return f'<table class="facts"><tbody>{body}</tbody></table>'


def data_script(data: dict[str, Any]) -> str:
    """JSON that no text in it can end early."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="album">{text}</script>'
