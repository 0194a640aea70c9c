#!/usr/bin/env bash
# A small campaign, from documents to a report: bash small_campaign.sh [FOLDER]
# Everything comes from `doxel demo`; put your own documents, topics and runs in its place.
set -euo pipefail
folder=${1:-small-campaign}
doxel demo --out "$folder/demo" > "$folder.log" 2>&1 && mv "$folder.log" "$folder/demo.log"

doxel campaign init "$folder/campaign" --name "Spring on the handbook"
cp -r "$folder/demo/handbook/." "$folder/campaign/documents"
cp "$folder/demo/topics.xml" "$folder/campaign/topics"
cp "$folder"/demo/runs/{bm25-focused.xml,tfidf-leaves.run,windows-disjoint.run} "$folder/campaign/runs"
doxel ingest "$folder/campaign/documents" -o "$folder/campaign/collection.doxel"

doxel check -c "$folder/campaign/collection.doxel" -t "$folder/campaign/topics" "$folder/campaign/runs"
doxel campaign pool "$folder/campaign" --documents 12

# People judge the pool with `doxel assess serve`; here the judgements of the demo replace theirs.
cp "$folder/demo/assessments/handbook.qrels" "$folder/campaign/assessments"
doxel campaign evaluate "$folder/campaign"
doxel campaign report "$folder/campaign"
doxel campaign status "$folder/campaign"
