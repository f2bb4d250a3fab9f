// Plays gen 8 random battles in the reference simulator and writes every step: the position before it, both choices, the
// script that answered all of its draws, and what came of it, in the formats of the recorded answers (a JSON object a line).
//
//     node tests/soak/pokemon_simulator.js FOLDER [--seed N] [--steps N] [--focus NAME,NAME] [--generated 0.3]
//
// FOLDER holds node_modules with pokemon-showdown. Teams are the generator's, or put together of its sets so that what was
// seen least (a move used, an ability or an item on the field) comes next; choices prefer the moves that were seen least.
'use strict';
const path = require('path');

const folder = process.argv[2];
const option = (name, usual) => {
  const at = process.argv.indexOf('--' + name);
  return at < 0 ? usual : process.argv[at + 1];
};
const {Battle, Teams, PRNG, toID} = require(path.join(folder, 'node_modules/pokemon-showdown/dist/sim'));
const seed = Number(option('seed', 1));
const steps = Number(option('steps', 10000));
const generated = Number(option('generated', 0.3));
const focus = option('focus', '').split(',').filter(Boolean);
const poolSize = Number(option('pool', 4000));

// Of the driver's own draws: mulberry32.
let lots = seed * 2654435761 >>> 0;
const uniform = () => {
  lots = lots + 0x6D2B79F5 >>> 0;
  let t = lots;
  t = Math.imul(t ^ t >>> 15, t | 1);
  t ^= t + Math.imul(t ^ t >>> 7, t | 61);
  return ((t ^ t >>> 14) >>> 0) / 4294967296;
};
const below = n => Math.floor(uniform() * n);
const pick = list => list[below(list.length)];

// Scripted randomness: every draw of a kind is answered alike.
class Script {
  constructor() {
    this.name = 'A';
  }

  is(letters) {
    return letters.includes(this.name);
  }

  static caller() {
    return new Error().stack;
  }

  random(from, to) {
    if (from === undefined) return 0;
    if (to === undefined) [from, to] = [0, from];
    const stack = Script.caller();
    if (/randomizer/.test(stack.split('\n').slice(3, 6).join())) return {A: 0, B: 15, C: 7, D: 4}[this.name];
    if (to === 100) return this.is('BD') ? 0 : 99;
    return this.is('BD') ? to - 1 : from;
  }

  randomChance(numerator, denominator) {
    const stack = Script.caller().split('\n').slice(3, 7).join('\n');
    if (/getDamage/.test(stack)) return denominator === 1 || this.is('B');
    if (/hitStepAccuracy|hitStepMoveHitLoop/.test(stack)) return numerator >= denominator || !this.is('C');
    if (/onBeforeMove/.test(stack)) return this.is('CD');
    if (/onStallMove/.test(stack)) return numerator >= denominator || !this.is('C');
    return this.is('BD');
  }

  sample(items) {
    return items[this.is('BD') ? items.length - 1 : 0];
  }

  shuffle() {}

  getSeed() {
    return 'gen5,0,0,0,0';
  }
}

// The position.
const slotOf = pokemon => pokemon.teamSlot;
const who = pokemon => `${pokemon.side.id}:${slotOf(pokemon)}`;
const isPokemon = value => value && value.side && value.baseMoveSlots;

function effectState(state) {
  const out = {};
  for (const [key, value] of Object.entries(state)) {
    if (key === 'id' || key === 'target' || value === undefined || value === null) continue;
    if (key === 'effectOrder') {
      out.order = value;
    } else if (isPokemon(value)) {
      out[key] = who(value);
    } else if (key === 'sourceEffect') {
      out[key] = value.id;
    } else if (typeof value === 'object') {
      if (value.id && !Array.isArray(value)) out[key] = value.id;
    } else if (typeof value !== 'function') {
      out[key] = value;
    }
  }
  return out;
}

const effectStates = states => Object.fromEntries(Object.entries(states).map(([id, s]) => [id, effectState(s)]));
const kRules = ['sleepclausemod'];  // rules of the format that the simulator keeps as effects of the field
const kStats = ['hp', 'atk', 'def', 'spa', 'spd', 'spe'];

function moveRows(slots, here) {
  return slots.map(slot => {
    const flags = {};
    if (slot.disabled) {
      flags.disabled = slot.disabled;
      if (slot.disabledSource) flags.source = slot.disabledSource;
    }
    if (slot.used && here) flags.used = true;
    if (slot.virtual) flags.virtual = true;
    const row = [slot.id, slot.pp, slot.maxpp];
    return Object.keys(flags).length ? [...row, flags] : row;
  });
}

function pokemonPosition(p) {
  const stats = [p.baseMaxhp, ...kStats.slice(1).map(s => p.baseStoredStats[s])];
  const out = {species: p.baseSpecies.id, level: p.level, gender: p.gender || 'N', setAbility: toID(p.set.ability),
    setItem: toID(p.set.item), stats, hp: p.hp, ability: p.ability, item: p.item};
  if (toID(p.set.species) !== p.baseSpecies.id) out.setSpecies = toID(p.set.species);
  out.evs = kStats.map(s => p.set.evs[s]);
  out.ivs = kStats.map(s => p.set.ivs[s]);
  if (p.gigantamax) out.gigantamax = true;
  if (p.maxhp !== p.baseMaxhp) out.maxhp = p.maxhp;
  if (p.fainted) out.fainted = true;
  if (p.status) {
    out.status = p.status;
    out.statusState = effectState(p.statusState);
  }
  if (p.baseAbility !== out.setAbility) out.baseAbility = p.baseAbility;
  out.abilityState = effectState(p.abilityState);
  if (p.lastItem) out.lastItem = p.lastItem;
  if (p.formeRegression) out.formeRegression = true;
  out.moves = moveRows(p.moveSlots, p.isActive);
  if (p.usedItemThisTurn) out.usedItemThisTurn = true;
  if (p.hurtThisTurn !== null) out.hurtThisTurn = p.hurtThisTurn;
  if (p.switchFlag) out.switchFlag = p.switchFlag;
  if (p.isActive) activePosition(p, out, stats);
  return out;
}

function activePosition(p, out, stats) {
  out.active = true;
  if (p.transformed) {
    out.transformed = true;
    out.baseMoves = moveRows(p.baseMoveSlots, true);
  }
  if (p.species.id !== p.baseSpecies.id) out.forme = p.species.id;
  if (p.types.join() !== p.species.types.join()) out.types = p.types;
  if (p.addedType) out.addedType = p.addedType;
  const current = kStats.slice(1).map(s => p.storedStats[s]);
  if (current.join() !== stats.slice(1).join()) out.curStats = current;
  const boosts = Object.entries(p.boosts).filter(([, by]) => by !== 0);
  if (boosts.length) out.boosts = Object.fromEntries(boosts);
  if (Object.keys(p.volatiles).length) out.volatiles = effectStates(p.volatiles);
  if (p.illusion) out.illusion = slotOf(p.illusion);
  for (const key of ['trapped', 'maybeTrapped', 'forceSwitchFlag', 'skipBeforeSwitchOutEventFlag', 'newlySwitched',
    'beingCalledBack', 'moveThisTurn', 'activeTurns', 'activeMoveActions', 'statsRaisedThisTurn', 'statsLoweredThisTurn',
    'timesAttacked', 'lastDamage']) {
    if (p[key]) out[key] = p[key];
  }
  if (p.lastMove) out.lastMove = p.lastMove.id;
  if (p.lastMoveUsed) out.lastMoveUsed = p.lastMoveUsed.id;
  for (const key of ['moveThisTurnResult', 'moveLastTurnResult']) {
    if (p[key] !== undefined) out[key] = p[key];
  }
  if (p.attackedBy.length) {
    out.attackedBy = p.attackedBy.map(a => ({source: who(a.source), damage: a.damage, move: toID(a.move),
      thisTurn: a.thisTurn, damageValue: a.damageValue}));
  }
  out.speed = p.speed;
  out.weighthg = p.weighthg;
}

function queueEntry(action) {
  const out = {choice: action.choice};
  for (const key of ['order', 'priority', 'fractionalPriority', 'speed']) {
    if (action[key] !== undefined) out[key] = action[key];
  }
  if (action.pokemon) out.pokemon = who(action.pokemon);
  if (action.choice.endsWith('witch') && action.target) out.target = who(action.target);
  if (action.move) out.moveid = action.move.id || action.moveid;
  if (action.maxMove) out.maxMove = toID(action.maxMove);
  return out;
}

function position(battle) {
  const field = {};
  const rooms = Object.fromEntries(Object.entries(battle.field.pseudoWeather).filter(([id]) => !kRules.includes(id)));
  if (battle.field.weather) field.weather = {id: battle.field.weather, ...effectState(battle.field.weatherState)};
  if (battle.field.terrain) field.terrain = {id: battle.field.terrain, ...effectState(battle.field.terrainState)};
  if (Object.keys(rooms).length) field.pseudoWeather = effectStates(rooms);
  const out = {turn: battle.turn, field};
  if (battle.midTurn) out.midTurn = true;
  if (battle.ended) {
    out.ended = true;
    out.winner = winner(battle);
  }
  if (battle.lastSuccessfulMoveThisTurn) out.lastSuccessfulMoveThisTurn = battle.lastSuccessfulMoveThisTurn;
  if (battle.queue.list.length) out.queue = battle.queue.list.map(queueEntry);
  out.sides = battle.sides.map(side => {
    const team = [...side.pokemon].sort((a, b) => slotOf(a) - slotOf(b));
    const one = {order: side.pokemon.map(slotOf), active: slotOf(side.active[0]), left: side.pokemonLeft,
      dynamaxUsed: side.dynamaxUsed, request: request(side), legal: legal(side).actions};
    if (side.faintedThisTurn) one.faintedThisTurn = slotOf(side.faintedThisTurn);
    if (Object.keys(side.sideConditions).length) one.conditions = effectStates(side.sideConditions);
    if (Object.keys(side.slotConditions[0]).length) one.slotConditions = effectStates(side.slotConditions[0]);
    one.team = team.map(pokemonPosition);
    return one;
  });
  return out;
}

const winner = battle => battle.winner === 'one' ? 'p1' : battle.winner === 'two' ? 'p2' : 'tie';
const request = side => side.battle.ended ? 'none' :
  !side.activeRequest || side.activeRequest.wait ? 'wait' : side.activeRequest.forceSwitch ? 'switch' : 'move';

// What the simulator accepts, and the command for each action.
function legal(side) {
  const commands = {};
  const kind = request(side);
  if (kind === 'none' || kind === 'wait') return {actions: [], commands};
  const own = side.active[0];
  if (kind === 'switch' || !own.trapped) {
    side.pokemon.forEach((p, at) => {
      if (at > 0 && !p.fainted) commands[slotOf(p)] = `switch ${at + 1}`;
    });
  }
  if (kind === 'move') {
    const asked = side.activeRequest.active[0];
    const single = asked.moves.length === 1 && asked.moves[0].pp === undefined;
    if (single) {
      const at = own.moveSlots.findIndex(slot => slot.id === asked.moves[0].id);
      commands[6 + Math.max(0, at)] = 'move 1';
    } else {
      const max = !!own.volatiles.dynamax;
      asked.moves.forEach((move, i) => {
        const stopped = max ? asked.maxMoves.maxMoves[i].disabled : move.disabled;
        if (!stopped && move.pp > 0) commands[6 + i] = `move ${i + 1}`;
        if (asked.canDynamax && !asked.maxMoves.maxMoves[i].disabled && move.pp > 0) {
          commands[10 + i] = `move ${i + 1} dynamax`;
        }
      });
    }
  }
  return {actions: Object.keys(commands).map(Number).sort((a, b) => a - b), commands};
}

// The outcome in short.
const timed = (id, state) => !id ? '' : state.duration ? `${id}/${state.duration}` : id;

function volatileText(id, state) {
  if (id === 'substitute') return `substitute:${state.hp}`;
  if (id === 'dynamax') return `dynamax:${state.turns}`;
  if (id === 'stall') return `stall:${state.counter}/${state.duration}`;
  let text = id;
  const move = state.move && (state.move.id || state.move);
  if (move) text += `:${move}`;
  else if (state.layers) text += `:${state.layers}`;
  if (state.duration && !['confusion', 'lockedmove', 'partiallytrapped', 'uproar'].includes(id)) text += `/${state.duration}`;
  return text;
}

function outcome(battle) {
  const pseudo = Object.entries(battle.field.pseudoWeather).filter(([id]) => !kRules.includes(id))
    .map(([id, s]) => timed(id, s)).sort().join(' ');
  const sides = battle.sides.map(side => {
    const team = [...side.pokemon].sort((a, b) => slotOf(a) - slotOf(b));
    const own = side.active[0];
    const conditions = Object.entries(side.sideConditions).map(([id, s]) =>
      id + (s.layers > 1 ? `:${s.layers}` : '') + (s.duration ? `/${s.duration}` : '')).sort();
    conditions.push(...Object.keys(side.slotConditions[0]).map(id => '@' + id).sort());
    return [request(side), slotOf(own), team.map(p => p.fainted ? 'x' : p.status || '-').join(),
      Object.values(own.boosts).join(), team.map(p => p.item || '-').join(), own.ability, own.species.id,
      own.types.join('/') + (own.addedType ? '+' + own.addedType : ''),
      Object.entries(own.volatiles).map(([id, s]) => volatileText(id, s)).sort().join(' '), conditions.join(' '),
      team.map(p => p.moveSlots.reduce((sum, slot) => sum + slot.pp, 0)).join(), own.maxhp];
  });
  return [battle.ended ? winner(battle) : '',
    [timed(battle.field.weather, battle.field.weatherState), timed(battle.field.terrain, battle.field.terrainState), pseudo],
    ...sides];
}

const hitPoints = battle => battle.sides.flatMap(side => [...side.pokemon].sort((a, b) => slotOf(a) - slotOf(b)).map(p => p.hp));

// Teams.
const seen = new Map();
const see = (name, by = 1) => seen.set(name, (seen.get(name) || 0) + by);
const namesOf = set => [...set.moves.map(m => 'move:' + m), 'ability:' + toID(set.ability), 'item:' + toID(set.item),
  'species:' + toID(set.species)];
const generator = Teams.getGenerator('gen8randombattle', new PRNG(`gen5,${[1, 2, 3, 4].map(i => (seed * 7919 * i & 0xffff).toString(16).padStart(4, '0')).join('')}`));
const pool = new Map();
for (let i = 0; i < poolSize; i++) {
  for (const set of generator.getTeam()) {
    pool.set([set.species, set.ability, set.item, set.gigantamax, [...set.moves].sort()].join(), set);
  }
}
const byName = new Map();
for (const set of pool.values()) {
  for (const name of namesOf(set)) byName.set(name, [...(byName.get(name) || []), set]);
}

function teams() {
  if (uniform() < generated && !focus.length) return [generator.getTeam(), generator.getTeam()];
  const names = focus.length ? focus : [...byName.keys()];
  return [0, 1].map(() => {
    const team = [];
    const has = set => team.some(other => other.species === set.species);
    for (let member = 0; member < 6;) {
      const few = [...Array(4)].map(() => pick(names)).sort((a, b) => (seen.get(a) || 0) - (seen.get(b) || 0));
      const set = member < 2 || uniform() < 0.5 ? pick(byName.get(few[0]) || [...pool.values()]) : pick([...pool.values()]);
      if (has(set) && uniform() < 0.95) continue;
      team.push(set);
      member++;
    }
    if (uniform() < 0.3) team.reverse();
    return team.map(set => JSON.parse(JSON.stringify(set)));
  });
}

function choose(side) {
  const {actions, commands} = legal(side);
  if (!actions.length) return [null, null];
  const moves = actions.filter(a => a >= 6);
  const switches = actions.filter(a => a < 6);
  let from = !moves.length || (switches.length && uniform() < 0.14) ? switches : moves;
  if (from === moves && uniform() < 0.85) {
    const plain = moves.filter(a => a < 10);
    if (plain.length) from = plain;
  }
  let action = pick(from);
  if (action >= 6 && uniform() < 0.5) {
    const count = a => seen.get('move:' + side.active[0].moveSlots[(a - 6) % 4]?.id) || 0;
    action = [...from].sort((a, b) => count(a) - count(b))[0];
  }
  return [action, commands[action]];
}

function notice(battle, choices) {
  battle.sides.forEach((side, i) => {
    const own = side.active[0];
    see('ability:' + own.ability, 0.5);
    see('item:' + own.item, 0.5);
    see('species:' + own.baseSpecies.id, 0.5);
    if (choices[i] >= 6) see('move:' + own.moveSlots[(choices[i] - 6) % 4]?.id);
  });
}

function main() {
  let written = 0;
  for (let number = 0; written < steps; number++) {
    const script = new Script();
    const battle = new Battle({formatid: 'gen8randombattle', seed: 'gen5,0000000000000000', strictChoices: true});
    battle.prng = script;
    const [one, two] = teams();
    battle.setPlayer('p1', {name: 'one', team: one});
    const number_slots = side => side.pokemon.forEach((p, i) => { p.teamSlot = i; });
    // Team slots are known before the first switch-in.
    const start = battle.start.bind(battle);
    battle.start = () => {
      battle.sides.forEach(number_slots);
      start();
    };
    battle.setPlayer('p2', {name: 'two', team: two});
    for (let step = 0; !battle.ended && step < 300; step++) {
      const before = position(battle);
      const chosen = battle.sides.map(choose);
      const choices = chosen.map(([action]) => action);
      notice(battle, choices);
      script.name = pick(['A', 'B', 'C', 'D']);
      const log = battle.log.length;
      chosen.forEach(([, command], i) => {
        if (command && !battle.choose(battle.sides[i].id, command)) {
          throw new Error(`refused: ${command} ${battle.sides[i].choice.error} ${JSON.stringify(battle.sides[i].activeRequest)}`);
        }
      });
      const row = {id: `${seed}-${number}-${step}`, position: before, choices, script: script.name, outcome: outcome(battle),
        hp: hitPoints(battle), after: battle.ended ? null : position(battle), log: battle.log.slice(log)};
      require('fs').writeSync(1, JSON.stringify(row) + '\n');
      written++;
    }
  }
}

main();
