/** `npm run build`: builds all apps into dist if a source has changed since the last time. */
import { build } from './steps/build.mjs';

if (!(await build((line) => console.log(`curtail: ${line}`)))) process.exit(1);
