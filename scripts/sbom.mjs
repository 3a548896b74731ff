/**
 * Writes the software bill of materials of what is installed with Curtail: `node scripts/sbom.mjs [FILE]`, by default sbom.cdx.json.
 *
 * CycloneDX, by `npm sbom` from the lock. Its `--omit dev` leaves out whatever development needs as well, so the tools of development are
 * taken out here, by the lock. npm names the root after its folder; this names it after the package.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const read = (path) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));
const { name, version } = read('package.json');
const installed = new Set(
  Object.entries(read('package-lock.json').packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, one]) => `${path.replace(/^.*node_modules\//, '')}@${one.version}`),
);

const words = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
const cwd = fileURLToPath(new URL('..', import.meta.url));
const bom = JSON.parse(execFileSync('npm', words, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }));
const root = `${name}@${version}`;
bom.metadata.component.name = name;
bom.components = bom.components.filter((one) => installed.has(one['bom-ref']));
const isKept = (ref) => ref === root || installed.has(ref);
bom.dependencies = bom.dependencies
  .filter(({ ref }) => isKept(ref))
  .map((one) => ({ ...one, dependsOn: (one.dependsOn ?? []).filter(isKept) }));
const file = process.argv[2] ?? 'sbom.cdx.json';
writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`);
console.log(`${file}: ${bom.components.length} packages`);
