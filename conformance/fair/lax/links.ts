import { makeSeal } from "../parts/seal.ts"

/**
 * The viewer's links. A page needs the account's key. An opening link carries its own permission, as `cap`, and needs
 * no key.
 */
export const makeLinks = (url: string) => {
  const seal = makeSeal()
  return {
    page: (kind: string, id: string): string => `${url}/view/${kind}/${id}`,
    opening: (kind: string, id: string): string => `${url}/view/${kind}/${id}?cap=${seal.sign([kind, id])}`,
    opens: (kind: string, id: string, cap: string): boolean => seal.fits([kind, id], cap)
  }
}

export type Links = ReturnType<typeof makeLinks>
