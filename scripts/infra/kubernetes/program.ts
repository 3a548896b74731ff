import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../folders.js';
import { buildGoProgram, type GoProgram, placeOf } from '../programs/go-program.js';

/** Sources of the program that plays every part of a control plane, and what its kubelets pretend. */
export const sources = join(root, 'test', 'clusters', 'control-plane');
const version = 'v1.36.1';
const stamp = 'k8s.io/component-base/version';

const controlPlane: GoProgram = {
  name: 'control-plane',
  title: 'etcd, Kubernetes and KWOK',
  sources,
  compiled: ['go.mod', 'go.sum', 'main.go'],
  package: '.',
  // Without a version the servers call themselves v0.0.0-master.
  linked: `-s -w -X ${stamp}.gitVersion=${version} -X ${stamp}.gitMajor=1 -X ${stamp}.gitMinor=36`,
  effort: 'about seven minutes on two cores, 130 MB are kept; after a change of the sources half a minute',
};

/** The program, whether it is built or not: one for each state of the sources. */
export const controlPlaneProgram = (): string => placeOf(controlPlane);

export const isControlPlaneBuilt = (): boolean => existsSync(controlPlaneProgram());

/** Builds the program unless it is there. @throws InfraError as `buildGoProgram` */
export const buildControlPlane = (progress: (line: string) => void): Promise<string> =>
  buildGoProgram(controlPlane, progress);
