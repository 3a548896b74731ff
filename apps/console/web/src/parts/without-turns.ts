/**
 * What the server has put together of foreign words, without the characters that turn the direction of all that follows them. Where foreign
 * text stands alone, the page isolates it instead (`.foreign`).
 */
export const withoutTurns = (text: string): string => text.replace(/[\u202A-\u202E\u2066-\u2069]/g, '');
