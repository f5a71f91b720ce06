// An object of an SDK with other members: a class of the SDK stays one, with what is private in it.

/** The same object with these members in place of its own. */
export function withMembers<T extends object>(object: T, members: object): T {
  return new Proxy(object, {
    get: (inner, name) => {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name);
      const member: unknown = Reflect.get(inner, name, inner);
      return typeof member === "function" ? member.bind(inner) : member;
    },
  });
}
