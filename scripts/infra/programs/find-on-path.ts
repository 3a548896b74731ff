import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first program of that name that may be run; undefined if there is none. */
export function findOnPath(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
