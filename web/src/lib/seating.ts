// Who sits on which side of the table. We sit on the near side, by our cards; small groups look at us, and a crowd
// stands before the table in rows.

export interface Seating<Person> {
  readonly far: readonly Person[];
  readonly near: readonly Person[];
}

const FACING_MAX = 5;
/** More do not fit around a table. */
export const AROUND_MAX = 14;

export function seating<Person>(people: readonly Person[], isMe: (person: Person) => boolean): Seating<Person> {
  if (people.length > AROUND_MAX) return { far: [], near: people };
  const me = people.filter(isMe);
  const others = people.filter((person) => !isMe(person));
  if (others.length <= FACING_MAX) return { far: others, near: me };
  const far = Math.ceil((others.length + me.length) / 2);
  const rest = others.slice(far);
  const left = Math.ceil(rest.length / 2);
  return { far: others.slice(0, far), near: [...rest.slice(0, left), ...me, ...rest.slice(left)] };
}
