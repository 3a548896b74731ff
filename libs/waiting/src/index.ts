export { type Limits, within } from './within.js';
