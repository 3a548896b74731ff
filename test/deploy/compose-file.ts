import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface ComposeService {
  image: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  ports?: string[];
  volumes?: string[];
  tmpfs?: string[];
  stop_grace_period?: string;
  container_name?: string;
  init?: boolean;
  read_only?: boolean;
  cap_drop?: string[];
}

export interface ComposeFile {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
}

/** docker-compose.yml as Docker reads it, with the given variables and no others. */
export function readComposeFile(variables: Record<string, string>): ComposeFile {
  const text = readFileSync('docker-compose.yml', 'utf8').replaceAll(
    /\$\{(\w+)(:[-?])?([^}]*)\}/g,
    (_, name: string, kind: string | undefined, rest: string) => {
      const value = variables[name];
      if (value) return value;
      if (kind === ':-') return rest;
      throw new Error(`docker-compose.yml needs ${name}: ${rest}`);
    },
  );
  return parse(text, { merge: true }) as ComposeFile;
}
