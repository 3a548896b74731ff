import type { DomainEvent } from '@curtail/contracts';

/** Codes of the notices and reasons that do not say what they are about. */
export function withoutSubject({ name, data }: Pick<DomainEvent, 'name' | 'data'>): string[] {
  const said: readonly { code: string; about?: unknown }[] = [
    ...('code' in data && 'message' in data ? [data] : []),
    ...('notices' in data ? data.notices : []),
    ...('plan' in data ? data.plan.notices : []),
  ];
  return said.flatMap(({ code, about }) => (about === undefined ? [`${name} ${code}`] : []));
}
