/** Lists the keys on the help page, from the table of keys. */
import { make } from '../core/page_helpers.js';
import { formatKey, KEYS } from '../judge/keyboard.js';

const list = document.getElementById('keys');
const usableKeys = KEYS.filter(({ needs }) => !needs || list.dataset[needs] === 'yes');
list.replaceChildren(...usableKeys.map(({ keys, label }) => make('div', {},
  make('dt', {}, make('kbd', {}, formatKey(keys[0]))), make('dd', {}, label))));
