import { absolute } from './when.tsx';
import { withoutTurns } from './without-turns.js';

const times = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'medium' });

/** A sentence of the API, whose times are in UTC, with the times in the zone of the reader. */
export function Sentence({ of }: { of: string }) {
  return withoutTurns(of)
    .split(times)
    .map((part, index) =>
      // Every second part is a time.
      index % 2 === 1 ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other name
        <time key={index} dateTime={part} title={absolute.format(new Date(part))}>
          {short.format(new Date(part))}
        </time>
      ) : (
        part
      ),
    );
}
