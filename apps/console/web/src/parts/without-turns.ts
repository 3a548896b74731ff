/**
 * A sentence that the server has made of foreign words, without the characters that turn the direction of all that follows them. Where foreign
 * text stands alone, the page isolates it instead (`.foreign`).
 */
export const withoutTurns = (sentence: string): string =>
  sentence.replace(/[\u202A-\u202E\u2066-\u2069]/g, '');
