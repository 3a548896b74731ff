import { join } from 'node:path';
import type { Programs } from '../programs/set-up.js';

/** The tuning of the virtual machine: a quick start in little memory, or, for measuring, speed. */
export type Tuning = 'small' | 'fast';

const flags: Record<Tuning, string[]> = {
  small: ['-Xms64m', '-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'],
  fast: ['-Xms512m', '-Xmx512m'],
};

/** The words after `java` that run one of Kafka's programs. */
export function javaWords(
  { kafkaJars }: Programs,
  program: string,
  words: string[],
  tuning: Tuning = 'small',
): string[] {
  return [...flags[tuning], '-cp', join(kafkaJars, '*'), program, ...words];
}
