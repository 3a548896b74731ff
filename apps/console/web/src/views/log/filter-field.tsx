import { Autocomplete, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { isoOf, localOf } from './local-time.js';

interface Props {
  label: string;
  example?: string;
  options?: readonly string[];
  /** It is a time, in the zone of the reader; `value` is in UTC. */
  isTime?: boolean;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** A filter takes effect when it is left, or with Enter, and follows the address. */
export function FilterField({ label, example = 'any', options, isTime = false, value, onChange }: Props) {
  const given = isTime && value !== undefined ? localOf(value) : (value ?? '');
  const [typed, setTyped] = useState(given);
  useEffect(() => setTyped(given), [given]);
  const apply = (text: string) => {
    const wanted = isTime ? isoOf(text) : text.trim() || undefined;
    if (wanted !== value) onChange(wanted);
  };
  const common = {
    label,
    placeholder: example,
    value: typed,
    onBlur: () => apply(typed),
    onKeyDown: ({ key }: { key: string }) => key === 'Enter' && apply(typed),
  };
  if (options)
    return <Autocomplete {...common} data={[...options]} onChange={setTyped} onOptionSubmit={apply} />;
  return (
    <TextInput
      {...common}
      {...(isTime && { type: 'datetime-local', step: 1 })}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
    />
  );
}
