/** Of renewed tokens, the older ones have expired. */
const heldAtMost = 200;
/** A shorter password would blank half of every line, and reveal itself by that. */
const shortest = 8;
/** Of a secret of several words, such as a key in PEM, a line alone is secret, too; shorter words are no secret by themselves. */
const shortestWord = 16;

const held = new Set<string>();

/**
 * Keeps a secret out of the log and the errors of this process from now on. `readSettings` calls it for all settings that are declared as
 * secret; who reads a secret elsewhere, or again, calls it as well.
 *
 * @param text a token, a password, an address with one, or a key in PEM.
 */
export function holdSecret(text: string): void {
  for (const part of partsOf(text.trim())) {
    // The log is JSON.
    for (const form of [part, JSON.stringify(part).slice(1, -1)]) {
      held.delete(form);
      held.add(form);
    }
  }
  for (const oldest of held) {
    if (held.size <= heldAtMost) break;
    held.delete(oldest);
  }
}

function partsOf(text: string): string[] {
  if (/^(?:postgres(?:ql)?|rediss?):/i.test(text) && URL.canParse(text)) {
    // The host may be shown, to say where a server is missing.
    const { password } = new URL(text);
    return [password, decoded(password)].filter((part) => part.length >= shortest);
  }
  const words = text.replaceAll(/-----[A-Z ]+-----/g, ' ').split(/[\s,]+/);
  return [text, ...words.filter((word) => word.length >= shortestWord)].filter(
    (part) => part.length >= shortest,
  );
}

function decoded(password: string): string {
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}

/** The text without the secrets that this process has read. */
export function withoutSecrets(text: string): string {
  let safe = text;
  for (const secret of held) safe = safe.replaceAll(secret, '***');
  return safe;
}
