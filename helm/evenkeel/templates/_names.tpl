{{- define "evenkeel.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* The operator finds its own kind by these two: app.kubernetes.io/name must stay evenkeel. */ -}}
{{- define "evenkeel.selectorLabels" -}}
app.kubernetes.io/name: evenkeel
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "evenkeel.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "evenkeel.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end -}}

{{- define "evenkeel.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "evenkeel.fullname" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{- define "evenkeel.keySecret" -}}
{{- .Values.operatorKey.existingSecret | default (printf "%s-key" (include "evenkeel.fullname" .)) -}}
{{- end -}}

{{- /* An image from its repository with digest or tag: (dict "root" $ "image" .Values.image). */ -}}
{{- define "evenkeel.image" -}}
{{- if .image.digest -}}
{{- printf "%s@%s" .image.repository .image.digest -}}
{{- else -}}
{{- printf "%s:%s" .image.repository (.image.tag | default .root.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- define "evenkeel.labellerNamespace" -}}
{{- .Values.labeller.namespace | default .Release.Namespace -}}
{{- end -}}

{{- /* A volume's name for a path. */ -}}
{{- define "evenkeel.volumeName" -}}
{{- regexReplaceAll "[^a-z0-9]+" (lower .) "-" | trimAll "-" | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "evenkeel.imagePullSecrets" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
{{- toYaml . | nindent 0 }}
{{- end }}
{{- end -}}
