import { audit, login, logout, policy, tokens, whoami } from './access.js';
import { apply } from './apply.js';
import type { Register } from './command.js';
import { config } from './config.js';
import { deadLetters } from './dead-letters.js';
import { explain } from './explain.js';
import { freeze, unfreeze } from './freeze.js';
import { get } from './get.js';
import { completion, help, version } from './help.js';
import { inventory } from './inventory.js';
import { log, verify } from './log.js';
import { approve, cancel, enforce, mode, reject, resume, stop } from './operate.js';
import { answer, links, webhook } from './owners.js';
import { plan, timeline, whatIf } from './plan.js';
import { replay, republish } from './replay.js';
import { report } from './report.js';
import { settings } from './settings.js';
import { simulate } from './simulate.js';
import { doctor, start } from './start.js';
import { status, wait } from './status.js';
import { quantity, validate } from './validate.js';
import { diff, exportConfiguration, rollback } from './versions.js';

/** In the order of the help: first those that need a running Curtail. */
export const commands: readonly Register[] = [
  ...[start, status, apply, whatIf, rollback, exportConfiguration, get, explain, report, audit, wait],
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
    login,
    logout,
    whoami,
  ],
  doctor,
  ...[replay, republish, log, verify, simulate],
  ...[plan, timeline, validate, diff, quantity, policy, tokens],
  completion,
  config,
  version,
  help,
];
