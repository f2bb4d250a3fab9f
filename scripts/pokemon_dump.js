// Prints what the battle engine needs to know of Pokémon Showdown's gen 8 data as JSON; scripts/pokemon_data.py makes
// C++ tables of it.  node scripts/pokemon_dump.js FOLDER_WITH_NODE_MODULES
'use strict';

const path = require('path');

const home = path.join(path.resolve(process.argv[2] || '.'), 'node_modules', 'pokemon-showdown');
const {Dex, toID} = require(path.join(home, 'dist', 'sim'));
const pool = require(path.join(home, 'data', 'random-battles', 'gen8', 'sets.json'));
const dex = Dex.mod('gen8');

// Items that the generator hands out; it chooses them in code, not by a table.
const ITEMS = `aguavberry assaultvest blacksludge blunderpolicy chestoberry choiceband choicescarf choicespecs custapberry
eviolite figyberry flameorb focussash griseousorb heavydutyboots iapapaberry leek leftovers lifeorb lightball lightclay
lumberry lustrousorb magnet magoberry powerherb rockyhelmet rustedshield rustedsword salacberry scopelens silkscarf
sitrusberry souldew thickclub throatspray toxicorb weaknesspolicy whiteherb widelens wikiberry`.split(/\s+/);
// Items and abilities that no random battle has, for comparing damage with calculators: they change damage and do nothing
// else here.
const CALCULATED = `adamantorb airballoon expertbelt ironball metronome muscleband wiseglasses blackbelt blackglasses
charcoal dragonfang hardstone metalcoat miracleseed mysticwater nevermeltice poisonbarb sharpbeak silverpowder softsand
spelltag twistedspoon babiriberry chartiberry chilanberry chopleberry cobaberry colburberry habanberry kasibberry
kebiaberry occaberry passhoberry payapaberry rindoberry roseliberry shucaberry tangaberry wacanberry
yacheberry`.split(/\s+/);
const CALCULATED_ABILITIES = ['aerilate', 'blaze', 'heatproof', 'refrigerate'];
const MEMORIES = dex.items.all().filter(item => item.onMemory).map(item => item.id);

// Formes that a battle can bring about.
const FORMES = `aegislashblade cherrimsunshine cramorantgulping cramorantgorging eiscuenoice mimikyubusted morpekohangry
wishiwashischool zacian zaciancrowned zamazenta zamazentacrowned zygardecomplete silvally`.split(/\s+/);

// Formes that the generator deals in place of one that fights alike.
const LOOKS = `basculinbluestriped magearnaoriginal pikachualola pikachuhoenn pikachukalos pikachuoriginal pikachupartner
pikachusinnoh pikachuunova pikachuworld polteageistantique zarudedada`.split(/\s+/);

// Moves that other moves turn into, and crowned formes' own.
const CALLED = 'struggle triattack thunderbolt energyball moonblast psychic behemothblade behemothbash'.split(' ');

const species = new Set([...FORMES, ...LOOKS]), moves = new Set(CALLED), abilities = new Set(CALCULATED_ABILITIES);
for (const [key, entry] of Object.entries(pool)) {
	const forme = dex.species.get(key);
	species.add(toID(forme.isNonstandard === 'Gigantamax' || forme.name.endsWith('-Gmax') ? forme.baseSpecies : forme.name));
	for (const look of forme.cosmeticFormes || []) species.add(toID(look));
	for (const set of entry.sets) {
		for (const move of set.movepool) moves.add(toID(move));
		for (const ability of set.abilities) abilities.add(toID(ability));
	}
}
for (const item of MEMORIES) species.add(toID('silvally' + dex.items.get(item).onMemory));
for (const move of dex.moves.all()) if (move.isMax) moves.add(move.id);
for (const id of species) {
	const forme = dex.species.get(id);
	if (FORMES.includes(id)) for (const ability of Object.values(forme.abilities)) abilities.add(toID(ability));
}

const plain = value => JSON.parse(JSON.stringify(value, (key, entry) => (typeof entry === 'function' ? true : entry)));
const TRAPS = ['Arena Trap', 'Shadow Tag', 'Magnet Pull'];
const types = dex.types.all().map(type => type.name).filter(type => !['Stellar', '???'].includes(type));

console.log(JSON.stringify({
	types,
	// Rows attack, columns defend: 0 none, 1 double, 2 half, 3 no damage, as the simulator writes it.
	chart: types.map(attack => types.map(defend => dex.types.get(defend).damageTaken[attack])),
	moves: [...moves].sort().map(id => plain(dex.moves.get(id))),
	abilities: [...abilities].sort().map(id => plain(dex.abilities.get(id))),
	items: [...new Set([...ITEMS, ...MEMORIES, ...CALCULATED])].sort().map(id => plain(dex.items.get(id))),
	species: [...species].sort().map(id => {
		const forme = plain(dex.species.get(id));
		forme.traps = Object.entries(forme.abilities).filter(([slot, ability]) =>
			TRAPS.includes(ability) && !(slot === 'H' && forme.unreleasedHidden)).map(([, ability]) => ability);
		return forme;
	}),
}));
