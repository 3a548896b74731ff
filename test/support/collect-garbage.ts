import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Unreferenced objects are gone when it returns. */
export const collectGarbage = runInNewContext('gc') as () => void;
