// Writes as JSON what the generator of gen8 random battles draws teams from: for every key of its species pool the facts
// that the rules of whole teams look at, and the exact probabilities of complete sets in every context that the rest of
// the team can put it in. Not by sampling: each random choice of the generator is followed down all its branches.
//
//   node pokemon_sets.js FOLDER           FOLDER holds node_modules/pokemon-showdown (MIT licence)
//   node pokemon_sets.js FOLDER teams N SEED   N teams of the generator, one a line, to test against
'use strict';

const path = require('path');
const root = path.join(process.argv[2], 'node_modules', 'pokemon-showdown', 'dist');
const {Dex, Teams, PRNG} = require(path.join(root, 'sim'));
const generator = Teams.getGenerator('gen8randombattle', new PRNG('1,2,3,4'));
const dex = generator.dex;

// What earlier members of a team change for a later one: the moves by which a species can notice.
const DETAILS = [
  ['screens', ['reflect', 'lightscreen']],
  ['stickyWeb', ['stickyweb']],
  ['stealthRock', ['stealthrock']],
  ['defog', ['defog', 'rapidspin']],
  ['toxicSpikes', ['toxicspikes']],
  ['spikes', ['spikes']],
  ['statusCure', ['aromatherapy', 'healbell']],
  ['dynamaxUser', []],
];

// A source of random numbers that is led along a path of choices, and remembers how many there were at each step.
class Path {
  constructor() {
    this.choices = [];
    this.widths = [];
    this.at = 0;
    this.done = false;
  }
  random(from, to) {
    if (this.done) return from === undefined || to === undefined ? 0 : from;
    const width = to === undefined ? from : to - from;
    if (this.at === this.choices.length) {
      this.choices.push(0);
      this.widths.push(width);
    }
    return (to === undefined ? 0 : from) + this.choices[this.at++];
  }
  randomChance(numerator, denominator) {
    return this.random(denominator) < numerator;
  }
  sample(items) {
    return items[this.random(items.length)];
  }
  shuffle() {
    this.done = true;  // the order of the moves, gender and colour follow: they say nothing about the set
  }
  // To the next path; false behind the last one.
  next() {
    while (this.choices.length && this.choices.at(-1) + 1 === this.widths.at(-1)) {
      this.choices.pop();
      this.widths.pop();
    }
    if (!this.choices.length) return false;
    this.choices[this.choices.length - 1]++;
    this.at = 0;
    this.done = false;
    return true;
  }
  probability() {
    return this.widths.reduce((product, width) => product / width, 1);
  }
}

const STATS = ['hp', 'atk', 'def', 'spa', 'spd', 'spe'];
const toId = (text) => text.toLowerCase().replace(/[^a-z0-9]/g, '');

function setsIn(key, details, isLead) {
  const source = new Path();
  generator.prng = source;
  const found = new Map();
  do {
    const set = generator.randomSet(key, {...details}, isLead);
    const text = JSON.stringify({
      ability: toId(set.ability), item: toId(set.item), moves: [...set.moves].sort(),
      evs: STATS.map((stat) => set.evs[stat]), ivs: STATS.map((stat) => set.ivs[stat]),
      dynamaxUser: set.role === 'Dynamax User',
    });
    found.set(text, (found.get(text) || 0) + source.probability());
  } while (source.next());
  return found;
}

function formesOf(species) {
  if (species.id === 'zaciancrowned' || species.id === 'zamazentacrowned') return [species.id];
  const source = new Path();
  generator.prng = source;
  const formes = [];
  do formes.push(toId(getForme(species))); while (source.next());
  return formes;
}

function contextsOf(key) {
  const sets = generator.randomSets[key].sets;
  const pool = new Set(sets.flatMap((set) => set.movepool.map(toId)));
  const roles = sets.map((set) => set.role === 'Dynamax User');
  const noticed = DETAILS.filter(([name, moves]) =>
    name === 'dynamaxUser' ? roles.includes(true) && roles.includes(false) : moves.some((move) => pool.has(move)));
  const contexts = [];
  for (let bits = 0; bits < 1 << noticed.length; bits++) {
    const names = noticed.filter((_, i) => bits >> i & 1).map(([name]) => name);
    const details = Object.fromEntries(names.map((name) => [name, name === 'spikes' ? 2 : 1]));
    for (const isLead of names.length ? [false] : [false, true]) contexts.push([names, isLead, setsIn(key, details, isLead)]);
  }
  return contexts;
}

function describe(key) {
  const species = dex.species.get(key);
  const weak = (type) => dex.getEffectiveness(type, species);
  const names = dex.types.names().filter((type) => type !== 'Stellar');
  const contexts = contextsOf(key);
  const distinct = [...new Set(contexts.flatMap(([, , found]) => [...found.keys()]))].sort();
  return {
    key, base: toId(species.baseSpecies), formes: formesOf(species), gigantamax: species.name.endsWith('-Gmax'),
    level: generator.getLevel(species), gender: species.gender || 'MF', types: species.types.map(toId),
    stats: STATS.map((stat) => species.baseStats[stat]),
    weak: names.filter((type) => weak(type) > 0).map(toId), doublyWeak: names.filter((type) => weak(type) > 1).map(toId),
    freezeDry: weak('Ice') > 0 || (weak('Ice') > -2 && species.types.includes('Water')),
    fireByAbility: weak('Fire') === 0 && Object.values(species.abilities).some((a) => ['Dry Skin', 'Fluffy'].includes(a)),
    onlyDynamaxUser: generator.randomSets[key].sets.length === 1 && generator.randomSets[key].sets[0].role === 'Dynamax User',
    sets: distinct.map((text) => JSON.parse(text)),
    contexts: contexts.map(([details, isLead, found]) => [details, isLead, distinct.map((text) => found.get(text) || 0)]),
  };
}

function incompatible(keys) {
  const pairs = [];
  for (const [i, a] of keys.entries()) {
    for (const b of keys.slice(i + 1)) {
      const ok = generator.getPokemonCompatibility(dex.species.get(a), [{speciesId: b}]) &&
        generator.getPokemonCompatibility(dex.species.get(b), [{speciesId: a}]);
      if (!ok) pairs.push([a, b]);
    }
  }
  return pairs;
}

const getForme = generator.getForme.bind(generator);
if (process.argv[3] === 'teams') {
  const source = Teams.getGenerator('gen8randombattle', new PRNG(process.argv[5]));
  for (let i = 0; i < Number(process.argv[4]); i++) {
    const team = source.getTeam().map((set) => [set.speciesId, toId(set.species), set.gender, toId(set.ability), toId(set.item),
      [...set.moves].sort().join(','), STATS.map((stat) => set.evs[stat]).join(','), STATS.map((stat) => set.ivs[stat]).join(','),
      set.role === 'Dynamax User' ? 1 : 0].join('|'));
    console.log(team.join(';'));
  }
} else {
  generator.getForme = (species) => species.name;
  const keys = Object.keys(generator.randomSets);
  process.stdout.write(JSON.stringify({keys: keys.map(describe), incompatible: incompatible(keys)}));
}
