/** Lists the keys on the help page, from the table of keys. */
import { make } from '../core/page_helpers.js';
import { KEYS, shown } from '../judge/keyboard.js';

const list = document.getElementById('keys');
const usable = KEYS.filter(({ needs }) => !needs || list.dataset[needs] === 'yes');
list.replaceChildren(...usable.map(({ keys, label }) => make('div', {},
  make('dt', {}, make('kbd', {}, shown(keys[0]))), make('dd', {}, label))));
