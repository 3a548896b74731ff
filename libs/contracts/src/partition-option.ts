/** The option of a command for that partition, with a space in front; nothing for the default partition. */
export function partitionOption(partition: string): string {
  return partition === 'default' ? '' : ` --partition ${partition}`;
}
