import { useState } from "react"
import { ActivityIndicator, FlatList, StyleSheet, Text, View } from "react-native"
import { Button } from "../components/Button.jsx"
import { Choice } from "../components/Choice.jsx"
import { Conditions } from "../components/Conditions.jsx"
import { Heading } from "../components/Heading.jsx"
import { Notice } from "../components/Notice.jsx"
import { SlipRow } from "../components/SlipRow.jsx"
import { useSettings } from "../parts/settings.js"
import { useTheme } from "../parts/theme.js"

const filters = [
  { key: "all", label: "All" },
  { key: "in", label: "In" },
  { key: "due", label: "Due" },
  { key: "out", label: "Out" }
]

const Gap = () => <View style={styles.gap} />

const Message = ({ testID, title, text, children }) => {
  const theme = useTheme()
  return (
    <View testID={testID} accessibilityRole="status" style={styles.message}>
      {children}
      <Text style={[styles.messageTitle, { color: theme.ink }]}>{title}</Text>
      <Text style={[styles.messageText, { color: theme.muted }]}>{text}</Text>
    </View>
  )
}

/** Every slip of the harbour: loading, failed with a way to try again, or the list. */
export const SlipsScreen = ({ catalog, onOpen }) => {
  const theme = useTheme()
  const { officer, powerAlerts } = useSettings()
  const [filter, setFilter] = useState("all")

  if (catalog.phase === "loading") {
    return (
      <View style={styles.center}>
        <Message testID="loading" title="Opening the harbour book" text="One moment.">
          <ActivityIndicator size="large" color={theme.accent} />
        </Message>
      </View>
    )
  }
  if (catalog.phase === "failed") {
    return (
      <View style={styles.center}>
        <Message testID="error" title="The harbour book did not open" text="It is missing or out of reach." />
        <Button label="Try again" onPress={catalog.retry} />
      </View>
    )
  }

  const shown = catalog.slips.filter(({ status }) => filter === "all" || status === filter)
  const dark = catalog.slips.filter(({ power, status }) => power === "off" && status === "in")
  return (
    <FlatList
      testID="slips"
      data={shown}
      keyExtractor={({ id }) => id}
      renderItem={({ item }) => <SlipRow slip={item} onPress={() => onOpen(item.id)} />}
      ItemSeparatorComponent={Gap}
      initialNumToRender={12}
      showsVerticalScrollIndicator={false}
      contentContainerStyle={styles.content}
      ListHeaderComponent={
        <View style={styles.header}>
          <Heading
            over={officer.trim() === "" ? "Nobody on watch" : `${officer.trim()} on watch`}
            title={catalog.harbour.name}
          />
          <Conditions harbour={catalog.harbour} />
          {powerAlerts &&
            dark.map(({ id, slip, vessel }) => (
              <Notice key={id} testID={`power-${id}`} text={`Shore power is off at ${slip}, ${vessel}`} />
            ))}
          <Choice name="Show" options={filters} value={filter} onChange={setFilter} />
        </View>
      }
      ListEmptyComponent={<Message title="No vessels here" text="Nothing in the book matches this." />}
    />
  )
}

const styles = StyleSheet.create({
  content: { width: "100%", maxWidth: 560, alignSelf: "center", paddingHorizontal: 20, paddingBottom: 28 },
  header: { gap: 14, paddingBottom: 16 },
  gap: { height: 12 },
  center: { flex: 1, width: "100%", maxWidth: 420, alignSelf: "center", justifyContent: "center", padding: 32 },
  message: { alignItems: "center", gap: 6, paddingVertical: 28 },
  messageTitle: { fontSize: 18, fontWeight: "700", marginTop: 12, textAlign: "center" },
  messageText: { fontSize: 15, textAlign: "center" }
})
