import { capitalized } from './capitalized.js';
import { sentenceParts } from './sentence-parts.js';
import { shortTime, timeInFull } from './times.js';

interface Props {
  of: string;
  /** It begins a line with a word that is written small within a sentence. */
  isCapital?: boolean;
}

/** A sentence of the server, with its times in the zone of the reader. Every text of the server is shown by this. */
export function Sentence({ of, isCapital = false }: Props) {
  return sentenceParts(isCapital ? capitalized(of) : of).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other name
      <time key={index} dateTime={part} title={timeInFull(part)}>
        {shortTime(part)}
      </time>
    ) : (
      part
    ),
  );
}
