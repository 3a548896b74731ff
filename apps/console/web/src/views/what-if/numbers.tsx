import { Autocomplete, Button, CloseButton, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { components } from '#api-client';
import { amountsText } from '../../parts/amounts.js';
import type { Quotas } from './with-quotas.js';

type Queue = components['schemas']['Queue'];

interface Props {
  queues: readonly Queue[];
  quotas: Quotas;
  onChange: (quotas: Quotas) => void;
}

/** Limits to try, of one queue after the other. */
export function Numbers({ queues, quotas, onChange }: Props) {
  const [added, setAdded] = useState('');
  const add = (path: string) => {
    if (!queues.some(({ queue }) => queue === path)) return;
    onChange({ ...quotas, [path]: quotas[path] ?? {} });
    setAdded('');
  };
  return (
    <Stack gap="sm">
      <Group align="flex-end">
        <Autocomplete
          label="Queue"
          placeholder="root.…"
          data={queues.map(({ queue }) => queue)}
          limit={50}
          value={added}
          onChange={setAdded}
          onOptionSubmit={add}
          onKeyDown={({ key }) => key === 'Enter' && add(added)}
          style={{ flex: '1 1 240px' }}
        />
        <Button variant="default" onClick={() => add(added)}>
          Change its quota
        </Button>
      </Group>
      {Object.keys(quotas).length === 0 && (
        <Text size="sm">Choose a queue and write another quota: what that would do is shown below.</Text>
      )}
      {Object.entries(quotas).map(([path, max]) => (
        <Limits
          key={path}
          path={path}
          queue={queues.find(({ queue }) => queue === path)}
          max={max}
          onChange={(limits) => onChange({ ...quotas, [path]: limits })}
          onRemove={() => {
            const { [path]: _, ...others } = quotas;
            onChange(others);
          }}
        />
      ))}
    </Stack>
  );
}

interface LimitsProps {
  path: string;
  queue: Queue | undefined;
  max: Readonly<Record<string, string>>;
  onChange: (max: Record<string, string>) => void;
  onRemove: () => void;
}

function Limits({ path, queue, max, onChange, onRemove }: LimitsProps) {
  const types = [...new Set([...Object.keys({ ...queue?.max, ...queue?.usage }), ...Object.keys(max)])];
  return (
    <fieldset className="limits">
      <legend className="foreign">{path}</legend>
      {types.map((type) => {
        const quota = queue?.max?.[type];
        return (
          <TextInput
            key={type}
            label={type}
            description={`now ${quota === undefined ? 'no quota' : amountsText({ [type]: quota })}; used ${amountsText({ [type]: queue?.usage[type] ?? 0 })}`}
            placeholder={exampleOf(type)}
            value={max[type] ?? ''}
            onChange={({ currentTarget: { value } }) => {
              const { [type]: _, ...others } = max;
              onChange(value.trim() === '' ? others : { ...others, [type]: value.trim() });
            }}
            style={{ flex: '1 1 200px' }}
          />
        );
      })}
      <CloseButton aria-label={`Leave ${path} as it is`} onClick={onRemove} />
    </fieldset>
  );
}

const exampleOf = (type: string) => (type === 'memory' ? 'such as 120G' : 'such as 30');
