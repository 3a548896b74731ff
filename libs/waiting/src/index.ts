export { NoAnswer } from './no-answer.js';
export { Wakeable } from './wakeable.js';
export { whileRenewing } from './while-renewing.js';
export { type Limits, within } from './within.js';
