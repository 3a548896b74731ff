import { List } from '@mantine/core';
import { type Compared, effectOfOutcome } from './effect-of.js';
import type { Outcome } from './use-comparison.js';

/** What an alternative would do: the same beside the editor and in the question before it is put in force. */
export function Effect({ of, compared }: { of: Outcome; compared: Compared }) {
  return (
    <List size="sm" aria-label="Effect" className="foreign">
      {effectOfOutcome(of, compared).map((sentence) => (
        <List.Item key={sentence}>{sentence}</List.Item>
      ))}
    </List>
  );
}
