import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../folders.js';
import { findOnPath } from './find-on-path.js';
import { buildGoProgram, type GoProgram, placeOf } from './go-program.js';

const helm: GoProgram = {
  name: 'helm',
  title: 'Helm',
  sources: join(root, 'test', 'deploy', 'helm'),
  compiled: ['go.mod', 'go.sum'],
  package: 'helm.sh/helm/v4/cmd/helm',
  linked: '-s -w',
  effort: 'about five minutes on two cores, 65 MB are kept',
};

/** CURTAIL_HELM, else the one of the PATH, else the one that was built; undefined if there is none. */
export function findHelm(): string | undefined {
  const built = placeOf(helm);
  return process.env.CURTAIL_HELM || findOnPath('helm') || (existsSync(built) ? built : undefined);
}

/** Builds Helm unless the machine has one. @throws InfraError as `buildGoProgram` */
export async function getHelm(progress: (line: string) => void): Promise<string> {
  return findHelm() ?? (await buildGoProgram(helm, progress));
}
