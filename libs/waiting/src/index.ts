export { Wakeable } from './wakeable.js';
export { type Limits, within } from './within.js';
