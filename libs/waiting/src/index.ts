export { answerWithin } from './answer-within.js';
export { NoAnswer } from './no-answer.js';
export { Wakeable } from './wakeable.js';
export { whenAborted } from './when-aborted.js';
export { whileRenewing } from './while-renewing.js';
export { type Limits, within } from './within.js';
