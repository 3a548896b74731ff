/** `1 queue`, `2 queues`; `1 run waits`, `2 runs wait`. */
export function counted(number: number | bigint, one: string, many = `${one}s`): string {
  return `${number} ${Number(number) === 1 ? one : many}`;
}
