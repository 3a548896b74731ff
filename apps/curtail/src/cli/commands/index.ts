import { answer } from './answer.js';
import { apply } from './apply.js';
import type { Register } from './command.js';
import { completion } from './completion.js';
import { config } from './config.js';
import { deadLetters } from './dead-letters.js';
import { diff } from './diff.js';
import { doctor } from './doctor.js';
import { enforce } from './enforce.js';
import { explain } from './explain.js';
import { exportConfiguration } from './export.js';
import { freeze, unfreeze } from './freeze.js';
import { get } from './get.js';
import { help } from './help.js';
import { inventory } from './inventory.js';
import { links } from './links.js';
import { log } from './log.js';
import { approve, cancel, mode, reject, resume, stop } from './operate.js';
import { plan } from './plan.js';
import { quantity } from './quantity.js';
import { replay, republish } from './replay.js';
import { report } from './report.js';
import { rollback } from './rollback.js';
import { settings } from './settings.js';
import { simulate } from './simulate.js';
import { start } from './start.js';
import { status } from './status.js';
import { timeline } from './timeline.js';
import { validate } from './validate.js';
import { version } from './version.js';
import { wait } from './wait.js';
import { webhook } from './webhook.js';
import { whatIf } from './what-if.js';

/** In the order of the help: first those that need a running Curtail. */
export const commands: readonly Register[] = [
  ...[start, status, apply, whatIf, rollback, exportConfiguration, get, explain, report, wait],
  ...[
    approve,
    reject,
    cancel,
    enforce,
    answer,
    stop,
    resume,
    freeze,
    unfreeze,
    mode,
    settings,
    inventory,
    deadLetters,
    webhook,
    links,
  ],
  doctor,
  ...[replay, republish, log, simulate],
  ...[plan, timeline, validate, diff, quantity],
  completion,
  config,
  version,
  help,
];
