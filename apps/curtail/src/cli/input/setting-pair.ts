import { InvalidArgumentError } from 'commander';

type Settings = Record<string, unknown>;

/** `fit=within`, `miss=5`, `protect={"users":["root"]}`: values are parsed as JSON where possible, else taken as text. */
export function settingPair(text: string, earlier: Settings = {}): Settings {
  const [, name, value] = /^([A-Za-z]{1,64})=(.+)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError('Write a name and a value, such as fit=within or miss=5.');
  }
  return { ...earlier, [name]: readValue(value) };
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
