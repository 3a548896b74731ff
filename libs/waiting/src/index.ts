export { Wakeable, whileRenewing } from './wakeable.js';
export { answerWithin, NoAnswer, whenAborted, within } from './within.js';
