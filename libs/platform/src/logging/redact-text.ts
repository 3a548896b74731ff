// No pattern matches a quote or a backslash: a line of JSON must stay one. The password of an address
// (`scheme://user:password@host`). Bounded, so that no text makes it slow.
/** The password of an address (`scheme://user:password@host`). Bounded, so that no text makes it slow. */
const urlPassword = /(:\/\/[^\s:@/"'<>\\]{0,256}:)[^\s/?#"'<>\\]{0,512}@/g;
const bearer = /\b(Bearer\s+)[A-Za-z0-9\-._~+/]{4,}=*/gi;
const assigned = /\b(passw(?:or)?d|pwd|secret|(?:curtail_|access_|auth_)?token)(\s?=\s?)[^\s&"',;\\]+/gi;

/** The text without passwords of addresses, bearer tokens, `password=…`, and the given secrets wherever they stand. */
export function redactText(text: string, secrets: readonly string[] = []): string {
  let redacted = text.replace(urlPassword, '$1***@').replace(bearer, '$1***').replace(assigned, '$1$2***');
  for (const secret of secrets) redacted = redacted.replaceAll(secret, '***');
  return redacted;
}
