/** Text as troff prints it: hyphens that can be copied, and no line that begins a request. */
export function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '\\[u2026]')
    .replaceAll(/^(?=[.'])/gm, '\\&');
}

export const bold = (text: string): string => `\\fB${roff(text)}\\fR`;

/** A term with its explanation below it. */
export const term = (name: string, explanation: string): string[] => ['.TP', bold(name), roff(explanation)];

/** Lines as they are: commands to type. */
export const verbatim = (lines: readonly string[]): string[] => [
  '.PP',
  '.nf',
  ...lines.map((line) => `\\&${roff(line)}`),
  '.fi',
];
