/**
 * Completes package-lock.json: `node scripts/complete-lock.mjs`, after every `npm install`.
 *
 * A registry mirror may lack programs for other platforms. `npm install` then leaves them out of the
 * lock without a word, and `npm ci` refuses the lock ("Missing: … from lock file"). This adds them,
 * marked for their platform, so that `npm ci` passes here and installs them where they are wanted.
 */
import { readFile, writeFile } from 'node:fs/promises';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(await readFile(file, 'utf8'));
const added = complete(lock.packages);
if (added.length > 0) {
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
  lock.packages = Object.fromEntries(sorted);
  await writeFile(file, `${JSON.stringify(lock, null, 2)}\n`);
}
console.log(`package-lock.json: ${added.length} entries added${added.map((name) => `\n  ${name}`).join('')}`);

/** Adds an entry for each optional dependency that has none; returns their names. */
function complete(packages) {
  const added = [];
  for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    for (const [name, range] of Object.entries(optionalDependencies)) {
      if (isLocked(packages, path, name)) continue;
      const version = range.replace(/^[~^]/, '');
      if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) {
        throw new Error(`${path}: cannot determine the version of ${name} from "${range}"`);
      }
      packages[`node_modules/${name}`] = {
        version,
        ...platformOf(name),
        ...(dev && { dev }),
        optional: true,
      };
      added.push(`${name}@${version}`);
    }
  }
  return added;
}

/** Whether the package is found from `path`, by node's way upwards through node_modules. */
function isLocked(packages, path, name) {
  for (let at = path; ; at = at.replace(/\/?node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    if (packages[`${at && `${at}/`}node_modules/${name}`]) return true;
    if (at === '') return false;
  }
}

/** Reads "…-linux-arm64-musl" as os, cpu and libc, which is how all of these packages are named. */
function platformOf(name) {
  const words = name.split('/').at(-1).split('-');
  const systems = { windows: 'win32' };
  for (const os of ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32']) systems[os] = os;
  const at = words.findIndex((word) => systems[word]);
  if (at < 0 || !words[at + 1]) throw new Error(`cannot determine the platform of ${name} from its name`);
  const libc = /-musl/.test(name) ? 'musl' : /-gnu/.test(name) ? 'glibc' : undefined;
  const os = systems[words[at]];
  return { cpu: [words[at + 1]], ...(os === 'linux' && libc && { libc: [libc] }), os: [os] };
}
