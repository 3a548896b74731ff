import { shortTime } from './times.js';
import { withoutTurns } from './without-turns.js';

const times = /(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z)/;

/** A sentence of the server in parts, every second of which is a time in UTC. */
export const sentenceParts = (of: string): string[] => withoutTurns(of).split(times);

/** The sentence with its times in the zone of the reader, where only a text can be shown, such as on hover. */
export const sentenceText = (of: string): string =>
  sentenceParts(of)
    .map((part, index) => (index % 2 === 1 ? shortTime(part) : part))
    .join('');
