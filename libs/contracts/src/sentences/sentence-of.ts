import { configurationSentences, controlSentences } from './configuration-sentences.js';
import { clockSentences, runSentences, starvationSentences, victimSentences } from './run-sentences.js';
import type { Sentences } from './sentences.js';

const sentences: Sentences = {
  ...configurationSentences,
  ...clockSentences,
  ...runSentences,
  ...victimSentences,
  ...starvationSentences,
  ...controlSentences,
};

/** One sentence for people that describes an event with its key numbers; its name if it has none. Depends on no service. */
export function sentenceOf(name: string, data: unknown): string {
  const sentence = Object.hasOwn(sentences, name) ? sentences[name as keyof Sentences] : undefined;
  return sentence ? (sentence as (event: unknown) => string)(data) : name;
}
