export { Wakeable } from './wakeable.js';
export { whileRenewing } from './while-renewing.js';
export { answerWithin, type Limits, NoAnswer, whenAborted, within } from './within.js';
