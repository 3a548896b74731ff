import type { Register } from './command.js';
import { diff } from './diff.js';
import { get } from './get.js';
import { plan } from './plan.js';
import { quantity } from './quantity.js';
import { start } from './start.js';
import { timeline } from './timeline.js';
import { validate } from './validate.js';

/** In the order of the help. */
export const commands: readonly Register[] = [start, get, plan, timeline, validate, diff, quantity];
