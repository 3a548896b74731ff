export { Wakeable } from './wakeable.js';
export { whileRenewing } from './while-renewing.js';
export { answerWithin, NoAnswer, whenAborted, within } from './within.js';
