import { isAbsolute, join } from 'node:path';
import type { Terminal } from '../terminal/terminal.js';

/**
 * The path of the file: `CURTAIL_CONFIG`, else in the folder for configurations (XDG Base Directory Specification). Undefined without a home.
 */
export function configPath({ CURTAIL_CONFIG: named, XDG_CONFIG_HOME: xdg, HOME: home }: Terminal['env']) {
  if (named) return named;
  if (xdg && isAbsolute(xdg)) return join(xdg, 'curtail', 'config.yaml');
  return home ? join(home, '.config', 'curtail', 'config.yaml') : undefined;
}
