import { clockSentences } from './clock-sentences.js';
import { configurationSentences } from './configuration-sentences.js';
import { controlSentences } from './control-sentences.js';
import { runSentences } from './run-sentences.js';
import type { Sentences } from './sentences.js';
import { starvationSentences } from './starvation-sentences.js';
import { victimSentences } from './victim-sentences.js';

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
