import { StyleSheet, Text, View } from "react-native"
import { Card } from "../components/Card.jsx"
import { Choice } from "../components/Choice.jsx"
import { Field } from "../components/Field.jsx"
import { Heading } from "../components/Heading.jsx"
import { Screen } from "../components/Screen.jsx"
import { Toggle } from "../components/Toggle.jsx"
import { useSettings } from "../parts/settings.js"
import { useTheme } from "../parts/theme.js"

const appearances = [
  { key: "system", label: "System" },
  { key: "light", label: "Light" },
  { key: "dark", label: "Dark" }
]

/** Who has the watch and how the app looks; every change takes effect at once. */
export const SettingsScreen = () => {
  const theme = useTheme()
  const { appearance, change, feet, handover, officer, powerAlerts } = useSettings()
  return (
    <Screen>
      <Heading over="This watch" title="Settings" />
      <Card style={styles.card}>
        <Field
          testID="officer"
          label="Officer on watch"
          placeholder="Your name"
          value={officer}
          onChange={(value) => change({ officer: value })}
        />
        <Field
          testID="handover"
          label="Handover note"
          placeholder="What the next watch should know"
          multiline
          value={handover}
          onChange={(value) => change({ handover: value })}
        />
      </Card>
      <Card style={styles.card}>
        <Toggle
          testID="power-alerts"
          label="Shore power warnings"
          hint="Above the list of slips"
          value={powerAlerts}
          onChange={(value) => change({ powerAlerts: value })}
        />
        <View style={[styles.line, { backgroundColor: theme.line }]} />
        <Toggle
          testID="feet"
          label="Lengths in feet"
          hint="Metres otherwise"
          value={feet}
          onChange={(value) => change({ feet: value })}
        />
      </Card>
      <Card style={styles.card}>
        <Text style={[styles.label, { color: theme.muted }]}>Appearance</Text>
        <Choice
          name="Appearance"
          options={appearances}
          value={appearance}
          onChange={(value) => change({ appearance: value })}
        />
      </Card>
      <Text style={[styles.foot, { color: theme.muted }]}>Settings last until the app is closed.</Text>
    </Screen>
  )
}

const styles = StyleSheet.create({
  card: { gap: 16 },
  line: { height: 1 },
  label: { fontSize: 13, fontWeight: "700", marginBottom: -6 },
  foot: { fontSize: 13, textAlign: "center" }
})
