import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** What no one holds any more is gone when it returns. */
export const collectGarbage = runInNewContext('gc') as () => void;
