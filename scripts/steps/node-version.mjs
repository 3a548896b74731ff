/** Ends the process if this Node is too old. Written so that an old one can still read it. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(
    `Curtail needs Node 20.19 or newer; this is ${process.versions.node} (${process.execPath}).\n` +
      'Install Node 24 or 22, from https://nodejs.org or with your version manager, and run this again.',
  );
  process.exit(1);
}
