/** Which keys a phone shows for a field, by what React Native calls a keyboard. */
export const modes: Readonly<Record<string, string>> = {
  numeric: "numeric",
  "number-pad": "numeric",
  "decimal-pad": "decimal",
  "phone-pad": "tel",
  "email-address": "email",
  url: "url",
  "web-search": "search"
}

/** What the key is called that ends a line. */
export const enterKeys: Readonly<Record<string, string>> = {
  done: "done",
  go: "go",
  next: "next",
  previous: "previous",
  search: "search",
  google: "search",
  send: "send"
}

/** What a browser may fill in, by what iOS calls the content of a field. */
export const contents: Readonly<Record<string, string>> = {
  URL: "url",
  addressCity: "address-level2",
  addressState: "address-level1",
  countryName: "country-name",
  creditCardNumber: "cc-number",
  emailAddress: "email",
  familyName: "family-name",
  fullStreetAddress: "street-address",
  givenName: "given-name",
  middleName: "additional-name",
  name: "name",
  newPassword: "new-password",
  nickname: "nickname",
  oneTimeCode: "one-time-code",
  organizationName: "organization",
  password: "current-password",
  postalCode: "postal-code",
  streetAddressLine1: "address-line1",
  streetAddressLine2: "address-line2",
  telephoneNumber: "tel",
  username: "username"
}
